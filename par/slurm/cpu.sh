#!/bin/bash
# A run on CPUs: a rank for each group of cores that share their memory.
#
#   sbatch par/slurm/cpu.sh par/bbh_qc0.yaml out/bbh_qc0
#
# starts the run in the folder out/bbh_qc0, which all nodes must see, or continues the one in it. The job
# requeues itself until the run is complete; if it fails, it stops: see the end of the log, then submit it again. Copy
# this file and edit what is marked <-.

#SBATCH --job-name=tendex
#SBATCH --nodes=1                   # <- 100,000 points a rank and more: tendex check FILE -n 8 tells what a rank has
#SBATCH --ntasks-per-node=8         # <- NUMA domains of a node (lscpu), and ...
#SBATCH --cpus-per-task=16          # <- ... cores of each: all of them
#SBATCH --hint=nomultithread        # cores, not their hardware threads
#SBATCH --time=24:00:00             # <- of one job; a run may take many
##SBATCH --account=project          # <- if your cluster asks for one; also --partition, --mem
#SBATCH --output=%x-%j.log          # one file for all jobs of a run, ...
#SBATCH --open-mode=append          # ... as those that come later add to it
#SBATCH --requeue                   # this job may be put back into the queue: it continues
#SBATCH --signal=B:USR1@300         # five minutes before the time limit: save the run, and requeue

tendex=${TENDEX_HOME:-$HOME/tendex} # <- the source tree
program=${TENDEX_PROGRAM:-$tendex/build/release/tendex}
settings=(--set compute.device=cpu) # <- more of tendex's arguments
orbit=()                            # <- (--eccentricity 1e-3): tools/tendex-orbit finds such an orbit first

# How ranks start. Without Slurm's PMIx (`srun --mpi=list`):
#   launch=(mpirun --map-by "slot:PE=$SLURM_CPUS_PER_TASK" --bind-to core --mca odls_base_sigkill_timeout 20)
# where the last option keeps mpirun from killing its ranks while they save the run.
launch=(srun --mpi=pmix --cpu-bind=cores --distribution=block:block) # <-

export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK
export OMP_PROC_BIND=close OMP_PLACES=cores
par=${1:?give the parameter file: sbatch cpu.sh FILE [FOLDER]}
run=${2:-out/$(basename "$par" .yaml)}
# shellcheck source=par/slurm/tendex-job.sh
source "$tendex/par/slurm/tendex-job.sh"
tendex_job
