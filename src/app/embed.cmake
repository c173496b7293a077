# A file as the elements of an array of C: cmake -DFROM=FILE -DTO=FILE -P embed.cmake
file(READ ${FROM} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1,\n" bytes "${bytes}")
file(WRITE ${TO} "${bytes}")
