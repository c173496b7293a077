# cmake -DSOURCE=... -DVERSION=... -DBUILD=... -DOUT=... -P version.cmake
# Writes OUT only when its content changes, so that nothing is compiled again in vain.
# The commit: of a source archive, what `git archive' wrote into archived_commit.txt; of a clone, git's. A repository that only
# contains the folder of the sources is another project's.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/archived_commit.txt archived LIMIT_COUNT 1)
set(version "${VERSION}-unknown")
find_program(GIT git)
if(archived MATCHES "^[0-9a-f]+$")
  string(SUBSTRING "${archived}" 0 10 commit)
  set(version "${VERSION}-g${commit}")
elseif(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-cdup --short=10 HEAD
    OUTPUT_VARIABLE commit RESULT_VARIABLE bad OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  string(STRIP "${commit}" commit)
  if(bad EQUAL 0 AND commit MATCHES "^[0-9a-f]+$")
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
