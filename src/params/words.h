/* Words that parameters take. Each list makes an enumeration and the parser's table. */
#pragma once

#include "params/systems.h"

/* clang-format off */
/* A set of dimensions: the value is a bit mask, 1 for x, 2 for y, 4 for z. */
#define TX_DIMS_WORDS(W)                                                                           \
  W(TX_DIMS_NONE, "none") W(TX_DIMS_X, "x") W(TX_DIMS_Y, "y") W(TX_DIMS_XY, "xy")                  \
  W(TX_DIMS_Z, "z") W(TX_DIMS_XZ, "xz") W(TX_DIMS_YZ, "yz") W(TX_DIMS_XYZ, "xyz")

#define TX_AXIS_WORDS(W) W(TX_AXIS_X, "x") W(TX_AXIS_Y, "y") W(TX_AXIS_Z, "z")

#define TX_ID_WORDS(W)                                                                             \
  W(TX_ID_MINKOWSKI, "minkowski") W(TX_ID_PUNCTURE, "single_puncture")                             \
  W(TX_ID_BRILL_LINDQUIST, "brill_lindquist") W(TX_ID_GAUGE_WAVE, "gauge_wave")                    \
  W(TX_ID_LINEAR_WAVE, "linear_wave") W(TX_ID_TEUKOLSKY, "teukolsky_wave") W(TX_ID_NOISE, "noise") \
  W(TX_ID_TWO_PUNCTURES, "two_punctures") W(TX_ID_QUASI_CIRCULAR, "quasi_circular")               \
  W(TX_ID_PUNCTURES, "punctures") W(TX_ID_BRILL_WAVE, "brill_wave") \
  W(TX_ID_PROFILE, "profile")

/* Bits of what a system of equations has; GRAVITY: it starts from every variable that data of gravity have. */
enum {
  TX_HAS_GAUGE = 1 << 0,
  TX_HAS_LAPSE = 1 << 1,
  TX_HAS_CHI = 1 << 2,
  TX_HAS_CHI_FLOOR = 1 << 3,
  TX_HAS_ALPHA_FLOOR = 1 << 4,
  TX_HAS_METRIC = 1 << 5,
  TX_HAS_PSI4 = 1 << 6,
  TX_HAS_CONSTRAINTS = 1 << 7,
  TX_HAS_WAVELETS = 1 << 8,
  TX_HAS_GRAVITY = 1 << 9,
};

/* Solver of the Hamiltonian constraint. */
#define TX_SOLVER_WORDS(W) W(TX_SOLVER_SPECTRAL, "spectral") W(TX_SOLVER_MULTIGRID, "multigrid")

/* Masses of punctures in the parameter file. */
#define TX_MASSES_WORDS(W) W(TX_MASSES_BARE, "bare") W(TX_MASSES_ADM, "adm")

#define TX_LAPSE_WORDS(W)                                                                         \
  W(TX_LAPSE_PSI_MINUS_2, "psi^-2") W(TX_LAPSE_ONE, "one") W(TX_LAPSE_AVERAGED, "averaged")      \
  W(TX_LAPSE_MAXIMAL, "maximal")

#define TX_PARITY_WORDS(W) W(TX_PARITY_EVEN, "even") W(TX_PARITY_ODD, "odd")

#define TX_SLICING_WORDS(W)                                                                        \
  W(TX_SLICING_ONE_PLUS_LOG, "one_plus_log") W(TX_SLICING_HARMONIC, "harmonic")

#define TX_SHIFT_WORDS(W) W(TX_SHIFT_GAMMA_DRIVER, "gamma_driver") W(TX_SHIFT_ZERO, "zero")

/* Derivatives along the shift. */
#define TX_ADVECTION_WORDS(W) W(TX_ADVECTION_CENTRED, "centred") W(TX_ADVECTION_UPWINDED, "upwinded")

/* Time steps: one for all octants, or one for each level. */
#define TX_STEPS_WORDS(W) W(TX_STEPS_GLOBAL, "global") W(TX_STEPS_LEVELS, "levels")

/* Content of a row of a worldtube: coefficients of spherical harmonics, or values at points. */
#define TX_WORLDTUBE_WORDS(W) W(TX_WORLDTUBE_MODAL, "modal") W(TX_WORLDTUBE_NODAL, "nodal")

/* Spatial form of the damping of the Gamma driver. */
#define TX_ETA_WORDS(W)                                                                            \
  W(TX_ETA_CONSTANT, "constant") W(TX_ETA_RADIAL, "radial") W(TX_ETA_METRIC, "metric")

/* Device that computes the evolution. */
#define TX_DEVICE_WORDS(W)                                                                         \
  W(TX_DEVICE_AUTO, "auto") W(TX_DEVICE_CPU, "cpu") W(TX_DEVICE_GPU, "gpu")

/* Solver of elliptic equations (elliptic/elliptic.h); precision of the V-cycles. */
#define TX_ELLIPTIC_WORDS(W)                                                                       \
  W(TX_ELLIPTIC_MULTIGRID, "multigrid") W(TX_ELLIPTIC_KRYLOV, "krylov")                            \
  W(TX_ELLIPTIC_RELAXATION, "relaxation")
#define TX_PRECISION_WORDS(W) W(TX_PRECISION_DOUBLE, "double") W(TX_PRECISION_MIXED, "mixed")

/* Transport of the halo exchange between GPUs. */
#define TX_TRANSPORT_WORDS(W)                                                                      \
  W(TX_TRANSPORT_AUTO, "auto") W(TX_TRANSPORT_PEER, "peer")                                        \
  W(TX_TRANSPORT_HIERARCHICAL, "hierarchical") W(TX_TRANSPORT_NCCL, "nccl")                        \
  W(TX_TRANSPORT_MPI, "mpi") W(TX_TRANSPORT_STAGED, "staged")

/* clang-format on */
#define TX_ENUMERATOR_(name, text) name,
typedef enum tx_dims { TX_DIMS_WORDS(TX_ENUMERATOR_) } tx_dims;
typedef enum tx_axis { TX_AXIS_WORDS(TX_ENUMERATOR_) } tx_axis;
typedef enum tx_id_type { TX_ID_WORDS(TX_ENUMERATOR_) } tx_id_type;
typedef enum tx_solver { TX_SOLVER_WORDS(TX_ENUMERATOR_) } tx_solver;
typedef enum tx_masses { TX_MASSES_WORDS(TX_ENUMERATOR_) } tx_masses;
typedef enum tx_lapse { TX_LAPSE_WORDS(TX_ENUMERATOR_) } tx_lapse;
typedef enum tx_parity { TX_PARITY_WORDS(TX_ENUMERATOR_) } tx_parity;
typedef enum tx_slicing { TX_SLICING_WORDS(TX_ENUMERATOR_) } tx_slicing;
typedef enum tx_shift { TX_SHIFT_WORDS(TX_ENUMERATOR_) } tx_shift;
typedef enum tx_advection { TX_ADVECTION_WORDS(TX_ENUMERATOR_) } tx_advection;
typedef enum tx_evolved { TX_EVOLVED_WORDS(TX_ENUMERATOR_) } tx_evolved;
typedef enum tx_time_steps { TX_STEPS_WORDS(TX_ENUMERATOR_) } tx_time_steps;
typedef enum tx_eta_form { TX_ETA_WORDS(TX_ENUMERATOR_) } tx_eta_form;
typedef enum tx_worldtube_form { TX_WORLDTUBE_WORDS(TX_ENUMERATOR_) } tx_worldtube_form;
typedef enum tx_device { TX_DEVICE_WORDS(TX_ENUMERATOR_) } tx_device;
typedef enum tx_transport_word { TX_TRANSPORT_WORDS(TX_ENUMERATOR_) } tx_transport_word;
typedef enum tx_elliptic_method { TX_ELLIPTIC_WORDS(TX_ENUMERATOR_) } tx_elliptic_method;
typedef enum tx_precision { TX_PRECISION_WORDS(TX_ENUMERATOR_) } tx_precision;
#undef TX_ENUMERATOR_
