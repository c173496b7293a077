/* Undefines the macros that an includer of a generated file defined. */
#undef TX_VALUE
#undef TX_LOAD0
#undef TX_LOAD1
#undef TX_LOAD2
#undef TX_D
#undef TX_DD
#undef TX_ADV
#undef TX_MORE
#undef TX_STORE
#undef TX_SQRT
#undef TX_PARK
#undef TX_PARKED
#undef TX_UNPARK
#undef TX_AGAIN
#undef TX_INPUT
