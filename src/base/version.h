/* Version of this binary: written into the log and every output file. */
#pragma once

/** Project version and commit, "1.0.0-gabc1234567", with "-dirty" where files of a clone were changed;
 *  "1.0.0-unknown" with neither git nor a source archive's commit. Local; literal. */
const char *tx_version(void);

/** Return the compiler, build type, flags, octant size and processor, in one line. Local; literal. */
const char *tx_build(void);
