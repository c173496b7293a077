# Debian's cross compiler for aarch64 with libraries of multiarch (apt install libopenmpi-dev:arm64 ...); tests run under qemu.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(tuple aarch64-linux-gnu)
set(CMAKE_C_COMPILER ${tuple}-gcc)
set(CMAKE_CXX_COMPILER ${tuple}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${tuple})
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/${tuple}/pkgconfig:/usr/share/pkgconfig)
# QEMU_CPU chooses a processor: max,sve256=on for SVE of 256 bits.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)

# Open MPI's compiler wrapper is a program of aarch64.
set(MPI_C_COMPILER_INCLUDE_DIRS /usr/lib/${tuple}/openmpi/include /usr/lib/${tuple}/openmpi/include/openmpi CACHE STRING "")
set(MPI_C_LIB_NAMES mpi CACHE STRING "")
set(MPI_mpi_LIBRARY /usr/lib/${tuple}/openmpi/lib/libmpi.so CACHE FILEPATH "")
