# Finds the systems of equations: the folders physics/NAME with a file system.py, and those of a user, TENDEX_SYSTEMS. Writes their
# list into the build folder, where all that needs it includes it. The code of a user's system is generated there too.
get_filename_component(TX_ROOT ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
set(TENDEX_SYSTEMS "" CACHE STRING "further systems of equations: folders with a file system.py, or folders of such folders")
# What is generated here lies in this folder, where includes find it.
set(TX_MADE ${PROJECT_BINARY_DIR}/made)

# Generates the code of the system in a folder, and names the header of its names in TX_SYSTEM_NAMES_name. CMake runs again when the
# description changes: parameters of a system are members of a struct that every file includes.
function(tx_system_generate folder)
  get_filename_component(name ${folder} NAME)
  find_program(TX_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)
  file(GLOB description ${folder}/*.py)
  file(GLOB generator ${TX_ROOT}/physics/*/*.py)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${description} ${generator})
  execute_process(COMMAND ${TX_PYTHON} -B ${TX_ROOT}/physics/codegen/generate.py --only ${folder} ${TX_MADE}/${name}
    RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE said OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "the system of equations ${folder} cannot be generated:\n  ${said}")
  endif()
  set_property(GLOBAL PROPERTY TX_SYSTEM_NAMES_${name} ${name}/${name}_names.h)
  set_property(GLOBAL PROPERTY TX_SYSTEM_FOLDER_${name} ${folder})
endfunction()

# The folders of systems that `paths` name, in `found`.
function(tx_system_folders paths found)
  set(folders "")
  foreach(path IN LISTS paths)
    get_filename_component(path "${path}" ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR})
    if(NOT EXISTS ${path}/system.py)
      file(GLOB inner CONFIGURE_DEPENDS ${path}/*/system.py)
      if(NOT inner)
        message(FATAL_ERROR "TENDEX_SYSTEMS: there is no file system.py in ${path}, nor in a folder of it; give the folder of a system")
      endif()
      list(TRANSFORM inner REPLACE "/system[.]py$" "")
      list(APPEND folders ${inner})
    else()
      list(APPEND folders ${path})
    endif()
  endforeach()
  set(${found} "${folders}" PARENT_SCOPE)
endfunction()

# Those of the source tree: BSSN, the default, then Z4c, then by name. Their code is committed.
file(GLOB own CONFIGURE_DEPENDS ${TX_ROOT}/physics/*/system.py)
list(TRANSFORM own REPLACE "^.*/([^/]+)/system[.]py$" "\\1")
list(SORT own)
list(REMOVE_ITEM own bssn z4c)
set(systems bssn z4c ${own})
foreach(name IN LISTS systems)
  if(NOT EXISTS ${TX_ROOT}/physics/generated/${name}_names.h)
    message(FATAL_ERROR "physics/${name}/system.py: its code is not there yet; run /usr/bin/python3 physics/codegen/generate.py")
  endif()
  set_property(GLOBAL PROPERTY TX_SYSTEM_NAMES_${name} physics/generated/${name}_names.h)
  set_property(GLOBAL PROPERTY TX_SYSTEM_FOLDER_${name} ${TX_ROOT}/physics/${name})
  set(folder_of_${name} physics/${name})
endforeach()

# The program's version says which further systems it has, with the hash of description and generator.
set(TX_FURTHER_SYSTEMS "")
tx_system_folders("${TENDEX_SYSTEMS}" folders)
foreach(folder IN LISTS folders)
  get_filename_component(name ${folder} NAME)
  foreach(other IN LISTS systems)
    string(TOLOWER "${name};${other}" lower)
    list(REMOVE_DUPLICATES lower)
    list(LENGTH lower different)
    if(different EQUAL 1)
      message(FATAL_ERROR "TENDEX_SYSTEMS: ${folder}: ${folder_of_${other}} has taken the name ${name}; give the folder another name")
    endif()
  endforeach()
  tx_system_generate(${folder})
  list(APPEND systems ${name})
  set(folder_of_${name} ${folder})
  file(STRINGS ${TX_MADE}/${name}/${name}_names.h hash REGEX "hash of all" LIMIT_COUNT 1)
  string(REGEX REPLACE "^.*hash of all ([0-9a-f]+).*$" "\\1" hash "${hash}")
  string(APPEND TX_FURTHER_SYSTEMS ", with ${name} ${hash}")
endforeach()
set_property(GLOBAL PROPERTY TX_SYSTEMS ${systems})

set(words "")
set(list "")
set(parameters "")
list(LENGTH systems built)
foreach(name IN LISTS systems)
  get_property(table GLOBAL PROPERTY TX_SYSTEM_NAMES_${name})
  string(REGEX REPLACE "_names[.]h$" "_parameters.def" table ${table})
  string(APPEND parameters "#include \"${table}\"\n")
  file(GLOB file ${TX_ROOT}/${table} ${TX_MADE}/${table})
  file(STRINGS ${file} rows REGEX "^(REAL|BOOL)[(]")
  list(TRANSFORM rows REPLACE "^[A-Z]+[(]([a-zA-Z0-9_]+), ([a-zA-Z0-9_]+),.*" "\\1.\\2")
  foreach(key IN LISTS rows)
    if(DEFINED system_of_${key})
      message(FATAL_ERROR "${folder_of_${name}}: ${key} is a parameter of ${folder_of_${system_of_${key}}} too; give it another name or section")
    endif()
    set(system_of_${key} ${name})
  endforeach()
  string(TOUPPER ${name} upper)
  string(APPEND words " W(TX_EVOLVED_${upper}, \"${name}\")")
  string(APPEND list " SYSTEM(${name})")
endforeach()
file(CONFIGURE OUTPUT ${TX_MADE}/params/systems.h CONTENT [[
/* Made by physics/systems.cmake: the systems of equations of this build. */
#pragma once

/** W(enumerator, "word") of each, for evolution.system. */
#define TX_EVOLVED_WORDS(W)@words@

/** SYSTEM(name) of each, in the same order. */
#define TX_SYSTEMS(SYSTEM)@list@

/** How many there are. */
#define TX_SYSTEMS_BUILT @built@
]] @ONLY)
file(CONFIGURE OUTPUT ${TX_MADE}/params/system_parameters.def CONTENT
"/* Made by physics/systems.cmake: conditions and parameters of the systems of equations of this build. */
${parameters}" @ONLY)
