# A file as an array of C: cmake -DNAME=NAME -DFROM=FILE -DTO=FILE -P embed.cmake
file(READ ${FROM} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1,\n" bytes "${bytes}")
file(WRITE ${TO} "#include <stddef.h>
extern const unsigned char tx_template_${NAME}[];
extern const size_t tx_template_${NAME}_size;
const unsigned char tx_template_${NAME}[] = {
${bytes}};
const size_t tx_template_${NAME}_size = sizeof tx_template_${NAME};
")
