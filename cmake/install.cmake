# libwarpwatt (the public header include/warpwatt.h as a shared library), data files,
# pkg-config file.
include(GNUInstallDirs)
file(WRITE ${CMAKE_BINARY_DIR}/libwarpwatt.c "// The library is its rooms.\ntypedef int ww_library;\n")
add_library(warpwatt_lib SHARED ${CMAKE_BINARY_DIR}/libwarpwatt.c)
target_link_libraries(warpwatt_lib PRIVATE -Wl,--whole-archive ww_gpu ww_power -Wl,--no-whole-archive)
set_target_properties(warpwatt_lib PROPERTIES OUTPUT_NAME warpwatt VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR})
install(TARGETS warpwatt_lib LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/warpwatt.h DESTINATION include)
install(FILES include/cuda.h DESTINATION include/warpwatt)
file(GLOB gpu_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/gpus/*.yaml)
install(FILES ${gpu_files} DESTINATION share/warpwatt/gpus)
file(GLOB technique_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/savings/*.yaml)
install(FILES ${technique_files} DESTINATION share/warpwatt/savings)
# The prefix is found from where the file lies, so that `make install PREFIX=...` needs no new build.
string(REGEX REPLACE "[^/]+" ".." WW_PC_UP "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/warpwatt.pc @ONLY CONTENT
"prefix=\${pcfiledir}/@WW_PC_UP@
libdir=\${prefix}/@CMAKE_INSTALL_LIBDIR@
includedir=\${prefix}/include

Name: warpwatt
Description: a GPU you can measure: cycle-level simulation of GPU programs
Version: @PROJECT_VERSION@
Libs: -L\${libdir} -lwarpwatt
Cflags: -I\${includedir}
")
install(FILES ${CMAKE_BINARY_DIR}/warpwatt.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
