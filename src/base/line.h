/* Text that users give: what a YAML file can hold of it, and how messages show it. */
#pragma once

#include <stddef.h>

/** Find whether a line of YAML can hold `text` as it is. [out] fault: "" if so, else "byte 3, 0xff, is not UTF-8"
 *  and the like, of the first byte that it cannot. Local. */
void tx_line_fault(const char *text, char *fault, size_t size);

/** Copy `text` to `out` as one line: control characters, and bytes that are not UTF-8, become \n, \t, \r or
 *  \xNN. Cut to `size` between characters. `text` may not overlap `out`. Local. */
void tx_line_show(const char *text, char *out, size_t size);
