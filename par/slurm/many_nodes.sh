#!/bin/bash
# A run on the GPUs of several nodes, one rank each.
#
#   sbatch par/slurm/many_nodes.sh par/bbh_q8.yaml out/bbh_q8
#
# starts the run in the folder out/bbh_q8, which all nodes must see, or continues the one in it. The job
# requeues itself until the run is complete; if it fails, it stops: see the end of the log, then submit it again. Copy
# this file and edit what is marked <-.

#SBATCH --job-name=tendex
#SBATCH --nodes=4                   # <-
#SBATCH --gpus-per-node=4           # <- GPUs of a node, and ...
#SBATCH --ntasks-per-node=4         # <- ... as many ranks: tendex check FILE -n 16 tells whether they have the memory
#SBATCH --cpus-per-task=8           # <- cores near each GPU; 8 are plenty
#SBATCH --exclusive                 # no other job on these nodes: all ranks wait for the slowest
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

# How ranks start: as in one_node.sh, which says why. Ghosts go between nodes by NCCL or MPI
# (compute.transport); the head of the run's log names the transport and its reason. Ranks that follow each other hold
# octants that touch, so they belong on the same node: block. Without Slurm's PMIx (`srun --mpi=list`):
#   launch=(mpirun --map-by "ppr:$SLURM_NTASKS_PER_NODE:node:PE=$SLURM_CPUS_PER_TASK" --bind-to core
#           --mca odls_base_sigkill_timeout 20)
launch=(srun --mpi=pmix --kill-on-bad-exit=1 --gpu-bind=none --cpu-bind=cores --distribution=block:block) # <-

# With mpirun: a host that is lost is noticed after 14 seconds in place of eight minutes; srun leaves that to Slurm.
export OMPI_MCA_oob_tcp_keepalive_time=5 OMPI_MCA_oob_tcp_keepalive_intvl=3 OMPI_MCA_oob_tcp_keepalive_probes=3
export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK
par=${1:?give the parameter file: sbatch many_nodes.sh FILE [FOLDER]}
run=${2:-out/$(basename "$par" .yaml)}
# shellcheck source=par/slurm/tendex-job.sh
source "$tendex/par/slurm/tendex-job.sh"
tendex_job
