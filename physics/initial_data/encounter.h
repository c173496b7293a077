/* How two holes go on that need not be on a quasi-circular orbit: effective-one-body equations of motion. */
#pragma once

/** A binary with the sum of its masses 1 in the frame of its centre of mass, orbital angular momentum along z; coordinates and
 *  momenta of punctures, masses the ADM masses of punctures. */
typedef struct tx_encounter_start {
  double mass_ratio, separation; /**< m1/m2; M */
  double p_r; /**< radial momentum of either hole, M: above 0 outwards, below 0 inwards */
  double L;   /**< orbital angular momentum, M^2, at least 0 */
  double chi
      [2]
      [3]; /**< dimensionless spins, body 1 being on the positive x axis; without effect where L is 0 */
} tx_encounter_start;

typedef enum tx_encounter_kind {
  TX_ENCOUNTER_PLUNGE, /**< no periastron holds them apart */
  TX_ENCOUNTER_ORBIT,  /**< bound, between two turning points, were there no waves */
  TX_ENCOUNTER_CLOSE, /**< the same of holes that are too close for that to mean much: they merge within about an orbit */
  TX_ENCOUNTER_PASS,   /**< unbound, with a periastron */
  TX_ENCOUNTER_ESCAPE, /**< unbound, on the way outwards */
} tx_encounter_kind;

/** A turning point without losses: separation as in tx_encounter_start, and when it is reached first. */
typedef struct tx_encounter_turn {
  double separation, time; /**< M; time -1: it is not reached */
} tx_encounter_turn;

typedef struct tx_encounter {
  tx_encounter_kind kind;
  double energy; /**< less the masses, M */
  double merger; /**< time of the common horizon, M; -1: never, or not known */
  double orbits; /**< until then */
  tx_encounter_turn periastron, apastron; /**< both of TX_ENCOUNTER_ORBIT and TX_ENCOUNTER_CLOSE */
  double eccentricity; /**< of TX_ENCOUNTER_ORBIT: of the turning points of the effective body */
  double loss;         /**< energy that waves take at a periastron, M; 0 without one */
} tx_encounter;

/** Follow the pair until its kind is known, and, where that is possible, to its merger: head-on collisions and plunges, and
 *  orbits of up to some 60 turns whose eccentricity makes little of a difference. docs/numerics.md compares with evolutions.
 *  Local. */
void tx_encounter_find(const tx_encounter_start *start, tx_encounter *out);
