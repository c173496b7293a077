/* What this binary is: written into the log and every output file. */
#pragma once

/** Project version and git commit, "0.1.0-gabc1234567", with "-dirty" where files were changed;
 *  "0.1.0-unknown" without git. Local; literal. */
const char *tx_version(void);

/** Compiler, build type, flags, octant size and processor, in one line. Local; literal. */
const char *tx_build(void);
