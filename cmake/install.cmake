# libwarpwatt (the public header include/warpwatt.h) as a shared and a static library, data files, pkg-config file.
#
# Libraries go to lib/<multiarch> on Debian, under any prefix: that is where its linker and pkg-config look.
set(WW_LIBDIR lib CACHE STRING "where libraries go, under the prefix")
if(CMAKE_LIBRARY_ARCHITECTURE AND WW_LIBDIR STREQUAL lib)
  set(WW_LIBDIR lib/${CMAKE_LIBRARY_ARCHITECTURE})
endif()
file(WRITE ${CMAKE_BINARY_DIR}/libwarpwatt.c "// The library is its rooms.\ntypedef int ww_library;\n")
add_library(warpwatt_lib SHARED ${CMAKE_BINARY_DIR}/libwarpwatt.c)
target_link_libraries(warpwatt_lib PRIVATE -Wl,--whole-archive ww_gpu ww_power -Wl,--no-whole-archive)
# Every symbol has a version: a new one comes under the next version's name, an old one keeps its own.
target_link_options(warpwatt_lib PRIVATE -Wl,--version-script=${CMAKE_SOURCE_DIR}/include/warpwatt.map)
set_target_properties(warpwatt_lib PROPERTIES OUTPUT_NAME warpwatt VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS ${CMAKE_SOURCE_DIR}/include/warpwatt.map)
install(TARGETS warpwatt_lib LIBRARY DESTINATION ${WW_LIBDIR})

# The static library is one object, in which the names of the rooms are local: they meet no name of a program's.
set(static ${CMAKE_BINARY_DIR}/libwarpwatt.a)
set(archives)
foreach(room power gpu savings sm mem exec code sass isa ptx base) # and of activity what these ask for, without no_parts.c
  list(APPEND archives $<TARGET_FILE:ww_${room}>)
endforeach()
add_custom_command(OUTPUT ${static}
                   COMMAND ${CMAKE_COMMAND} -E rm -f ${static}
                   COMMAND ${CMAKE_LINKER} -r -o ${CMAKE_BINARY_DIR}/warpwatt_all.o --whole-archive ${archives}
                           --no-whole-archive $<TARGET_FILE:ww_activity>
                   COMMAND ${CMAKE_OBJCOPY} --localize-hidden --strip-debug ${CMAKE_BINARY_DIR}/warpwatt_all.o
                   COMMAND ${CMAKE_AR} rcsD ${static} ${CMAKE_BINARY_DIR}/warpwatt_all.o
                   COMMAND ${CMAKE_COMMAND} -E rm -f ${CMAKE_BINARY_DIR}/warpwatt_all.o
                   DEPENDS ww_power ww_gpu ww_savings ww_sm ww_mem ww_activity ww_exec ww_code ww_sass ww_isa ww_ptx ww_base
                   COMMENT "libwarpwatt.a" VERBATIM)
add_custom_target(warpwatt_static ALL DEPENDS ${static})
install(FILES ${static} DESTINATION ${WW_LIBDIR})

install(FILES include/warpwatt.h DESTINATION include)
install(FILES include/cuda.h DESTINATION include/warpwatt)
file(GLOB gpu_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/gpus/*.yaml)
install(FILES ${gpu_files} DESTINATION share/warpwatt/gpus)
file(GLOB technique_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/savings/*.yaml)
install(FILES ${technique_files} DESTINATION share/warpwatt/savings)
# The prefix is found from where the file lies, so that `make install PREFIX=...` needs no new build.
string(REGEX REPLACE "[^/]+" ".." WW_PC_UP "${WW_LIBDIR}/pkgconfig")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/warpwatt.pc @ONLY CONTENT
"prefix=\${pcfiledir}/@WW_PC_UP@
libdir=\${prefix}/@WW_LIBDIR@
includedir=\${prefix}/include

Name: warpwatt
Description: a GPU you can measure: cycle-level simulation of GPU programs
Version: @PROJECT_VERSION@
Requires.private: libcyaml
Libs: -L\${libdir} -lwarpwatt
Libs.private: -lelf -lm -pthread
Cflags: -I\${includedir}
")
install(FILES ${CMAKE_BINARY_DIR}/warpwatt.pc DESTINATION ${WW_LIBDIR}/pkgconfig)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/templates/ DESTINATION share/warpwatt/templates) # of `warpwatt new`
