# shellcheck shell=bash disable=SC2154
# The common end of the job scripts beside this file. `tendex_job` starts a run, or continues it, for as long as
# this job lasts. If the run is not complete then, it requeues the job, which continues the run. It expects
#
#   program   tendex, the program
#   par       the parameter file
#   run       the run folder
#   launch    array: the words that start ranks, e.g. launch=(srun --mpi=pmix)
#   settings  array, maybe empty: more arguments, e.g. settings=(--set run.t_end=900)
#   orbit     array, maybe empty: what tools/tendex-orbit is to find first, e.g. orbit=(--eccentricity 1e-3); settings are
#             --set alone then
#   attempts  how many jobs in a row may end without a newer checkpoint (3 if not set)
#
# Signals. Slurm sends SIGUSR1 to this shell some minutes before the time limit (#SBATCH --signal=B:USR1@300). It is
# passed on; the run finishes its step, writes a checkpoint and ends, and the job is requeued. When Slurm itself
# ends a job, to make room for others or because somebody cancelled it, all processes get SIGTERM, which makes the run
# save itself too, and SIGKILL after KillWait seconds (30 unless the cluster says otherwise); Slurm then requeues
# the job itself, or not.
#
# Exit code: 0 when the run is complete; that of tendex if it failed (`tendex --help` lists them).
#
# Beside the run folder is FOLDER.attempts: the newest checkpoint's step when a job last began, and how many jobs in a
# row began there.

tendex_say() { printf 'tendex-job: %s: %s\n' "$(date +%FT%T)" "$*"; }

# Step of the newest checkpoint; of an orbit's, its file.
tendex_saved() {
  local file newest=none
  if [ "${#orbit[@]}" -gt 0 ]; then
    for file in "$run.orbit"/*/checkpoints/checkpoint.*.h5 "$run"/checkpoints/checkpoint.*.h5; do
      [ "$file" -nt "$newest" ] && newest=$file
    done
    printf '%s\n' "$newest"
    return
  fi
  for file in "$run"/checkpoints/checkpoint.*.h5; do
    [ -e "$file" ] && newest=${file##*/}
  done
  newest=${newest#checkpoint.}
  printf '%s\n' "${newest%.h5}"
}

tendex_complete() { grep -qs '"complete": true' "$run/summary.json"; }

# Count this job among those that began at the same checkpoint. A job that a person submitted begins to count anew.
tendex_count() {
  local at=none before=0
  if [ "${SLURM_RESTART_COUNT:-0}" -gt 0 ] && [ -r "$run.attempts" ]; then
    read -r at before <"$run.attempts"
  fi
  tendex_start=$(tendex_saved)
  [ "$at" = "$tendex_start" ] || before=0
  tendex_jobs=$((before + 1))
  printf '%s %s\n' "$tendex_start" "$tendex_jobs" >"$run.attempts"
}

# What a signal to this shell does: $1 is passed on to what started the ranks.
tendex_signal() {
  tendex_told=$1
  tendex_say "SIG$1"
  [ -z "$tendex_child" ] || kill -s "$1" "$tendex_child" 2>/dev/null
}

# Run the program; what it ends with is in tendex_code.
tendex_evolve() {
  local what=(run "$par" --set "run.folder=$run")
  local command=("${launch[@]}" "$program")
  [ -e "$run/run.yaml" ] && what=(run --restart "$run")
  if [ "${#orbit[@]}" -gt 0 ]; then
    command=("$tendex/tools/tendex-orbit")
    what=("$par" "${orbit[@]}" --set "run.folder=$run" --program "$program" --launcher "$(printf '%q ' "${launch[@]}")")
  fi
  command+=("${what[@]}" "${settings[@]}")
  tendex_say "${command[*]}"
  "${command[@]}" &
  tendex_child=$!
  # A signal that came before there was anybody to pass it to.
  [ -z "$tendex_told" ] || kill -s "$tendex_told" "$tendex_child" 2>/dev/null
  # A signal ends `wait`, not the program.
  while
    wait "$tendex_child"
    tendex_code=$?
    kill -0 "$tendex_child" 2>/dev/null
  do :; done
  tendex_child=
}

tendex_requeue() {
  local job=$SLURM_JOB_ID
  # The number of an array's last job is also that of the whole array.
  [ -z "${SLURM_ARRAY_TASK_ID:-}" ] || job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
  tendex_say "$run is not complete: job $job is requeued"
  trap 'exit 0' TERM # the job that is requeued is ended at once
  scontrol requeue "$job" && exit 0
  tendex_say "it could not be requeued (#SBATCH --requeue?): submit it again, it goes on where it was"
  return 1
}

tendex_job() {
  local tendex_child='' tendex_told='' tendex_code=0 tendex_start tendex_jobs
  trap 'tendex_signal USR1' USR1
  # The ranks have SIGTERM from Slurm: passed on to mpirun or srun it would end them before they have saved the run.
  trap 'tendex_told=TERM; tendex_say SIGTERM' TERM
  run=${run%/}
  mkdir -p "$(dirname "$run")"
  tendex_count
  if [ "$tendex_jobs" -gt "${attempts:-3}" ]; then
    tendex_say "$((tendex_jobs - 1)) jobs in a row ended without a newer checkpoint: given up"
    return 1
  fi
  tendex_evolve
  if [ "$tendex_code" -eq 0 ] && tendex_complete; then
    tendex_say "$run is complete"
    return 0
  fi
  tendex_say "exit code $tendex_code; newest checkpoint: step $(tendex_saved)"
  case "$tendex_told,$tendex_code" in
    TERM,*) return 143 ;; # whether the job comes back is Slurm's affair
    *,[2-7])
      tendex_say "this would fail again: see $run/log.txt"
      return "$tendex_code"
      ;;
  esac
  if [ "$tendex_jobs" -ge "${attempts:-3}" ] && [ "$(tendex_saved)" = "$tendex_start" ]; then
    tendex_say "$tendex_jobs jobs in a row ended without a newer checkpoint: given up"
    return $((tendex_code ? tendex_code : 1))
  fi
  tendex_requeue
}
