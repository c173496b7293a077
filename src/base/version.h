/* What this binary is: written into the log and every output file. */
#pragma once

/** Version from git ("0.1.0-12-gabc1234", with "-dirty" where files were changed), or the project's version and
 *  "unknown" without git. Local; literal. */
const char *tx_version(void);

/** Compiler, build type, flags, octant size and processor, in one line. Local; literal. */
const char *tx_build(void);
