# cmake -DSOURCE=... -DVERSION=... -DBUILD=... -DOUT=... -P version.cmake
# Writes OUT only when its content changes, so that nothing is compiled again in vain.
set(version "${VERSION}-unknown")
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=10 HEAD
    OUTPUT_VARIABLE commit RESULT_VARIABLE bad OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(bad EQUAL 0)
    set(version "${VERSION}-g${commit}")
    execute_process(COMMAND ${GIT} -C ${SOURCE} --no-optional-locks status --porcelain --untracked-files=no
      OUTPUT_VARIABLE changed ERROR_QUIET)
    if(NOT "${changed}" STREQUAL "")
      set(version "${version}-dirty")
    endif()
  endif()
endif()
string(REPLACE "\\" "\\\\" build "${BUILD}")
string(REPLACE "\"" "\\\"" build "${build}")
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define TX_VERSION \"${version}\"\n#define TX_BUILD   \"${build}\"\n" @ONLY)
