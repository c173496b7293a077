#!/bin/bash
# Many runs, each a job of its own with one GPU: for catalogues, and for series over mass ratio or resolution.
#
#   sbatch --array=1-12%4 par/slurm/array.sh sweep/runs.txt
#
# where runs.txt has the name of a parameter file on each line, relative to its own place; the run of `q2.yaml` goes
# into the folder `q2` beside it. A line `q2.yaml --eccentricity 1e-3` has tools/tendex-orbit find such an orbit first.
# Twelve runs, four at a time. tools/sweep.py makes such a list from a table of mass ratios, spins and separations, and
# submits this. Each job requeues itself until its run is complete; one that fails
# stops, and leaves the others alone. Copy this file and edit what is marked <-.

#SBATCH --job-name=sweep
#SBATCH --nodes=1
#SBATCH --ntasks=1                  # <- ranks of each run, and ...
#SBATCH --gpus-per-node=1           # <- ... as many GPUs; for CPUs leave this out
#SBATCH --cpus-per-task=8           # <-
#SBATCH --time=12:00:00             # <- of one job; a run may take many
##SBATCH --account=project          # <- if your cluster asks for one; also --partition, --mem
#SBATCH --output=%x-%A_%a.log       # one file for all jobs of a run, ...
#SBATCH --open-mode=append          # ... as those that come later add to it
#SBATCH --requeue                   # these jobs may be put back into the queue: they continue
#SBATCH --signal=B:USR1@300         # five minutes before the time limit: save the run, and requeue

tendex=${TENDEX_HOME:-$HOME/tendex} # <- the source tree
program=${TENDEX_PROGRAM:-$tendex/build/release/tendex}
settings=()                         # <- more of tendex's arguments, for all runs

# How ranks start: see one_node.sh.
launch=(srun --mpi=pmix --gpu-bind=none --cpu-bind=cores --distribution=block:block) # <-

export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK
list=${1:?give the list of parameter files: sbatch --array=1-N array.sh LIST}
line=$(sed -n "${SLURM_ARRAY_TASK_ID:?submit this with --array=1-N}p" "$list")
[ -n "$line" ] || { echo "array.sh: $list has no line $SLURM_ARRAY_TASK_ID" >&2; exit 1; }
read -ra orbit <<<"$line"           # what follows the name is for tools/tendex-orbit
par=$(dirname "$list")/${orbit[0]}
orbit=("${orbit[@]:1}")
run=${par%.yaml}
# shellcheck source=par/slurm/tendex-job.sh
source "$tendex/par/slurm/tendex-job.sh"
tendex_job
