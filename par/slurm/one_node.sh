#!/bin/bash
# A run on the GPUs of one node, one rank each.
#
#   sbatch par/slurm/one_node.sh par/bbh_q1.yaml out/bbh_q1
#
# starts the run in the folder out/bbh_q1, or continues the one in it. The job requeues itself until the run
# is complete; if it fails, it stops: see the end of the log, then submit it again. Copy this file and edit what is
# marked <-.

#SBATCH --job-name=tendex
#SBATCH --nodes=1
#SBATCH --gpus-per-node=4           # <- GPUs, and ...
#SBATCH --ntasks-per-node=4         # <- ... as many ranks: tendex check FILE -n 4 tells whether they have the memory
#SBATCH --cpus-per-task=8           # <- cores near each GPU; 8 are plenty
#SBATCH --time=12:00:00             # <- of one job; a run may take many
##SBATCH --account=project          # <- if your cluster asks for one; also --partition, --mem
#SBATCH --output=%x-%j.log          # one file for all jobs of a run, ...
#SBATCH --open-mode=append          # ... as those that come later add to it
#SBATCH --requeue                   # this job may be put back into the queue: it continues
#SBATCH --signal=B:USR1@300         # five minutes before the time limit: save the run, and requeue

tendex=${TENDEX_HOME:-$HOME/tendex} # <- the source tree
program=${TENDEX_PROGRAM:-$tendex/build/release/tendex}
settings=()                         # <- more of tendex's arguments, e.g. (--set run.t_end=900)
orbit=()                            # <- (--eccentricity 1e-3): tools/tendex-orbit finds such an orbit first

# How ranks start. Every rank sees all GPUs of its node (no --gpus-per-task, no --gpu-bind=single:1: memory of another
# rank's GPU could not be reached) and takes the one of its own number; blocks of ranks lie on the same socket as
# the GPUs that are numbered so. Without Slurm's PMIx (`srun --mpi=list`):
#   launch=(mpirun --map-by "slot:PE=$SLURM_CPUS_PER_TASK" --bind-to core --mca odls_base_sigkill_timeout 20)
# where the last option keeps mpirun from killing its ranks while they save the run.
launch=(srun --mpi=pmix --gpu-bind=none --cpu-bind=cores --distribution=block:block) # <-

export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK
par=${1:?give the parameter file: sbatch one_node.sh FILE [FOLDER]}
run=${2:-out/$(basename "$par" .yaml)}
# shellcheck source=par/slurm/tendex-job.sh
source "$tendex/par/slurm/tendex-job.sh"
tendex_job
