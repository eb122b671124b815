# What pages are made of lies beside the command: page.html (studies), run.html and run.js (runs) of
# ours, and Chart.js as Debian packages it (libjs-chart.js); all are installed. Study files and
# published values are data.
find_file(WW_CHART_JS chart.min.js PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist
          NO_DEFAULT_PATH DOC "Chart.js, for the pages of studies (Debian: libjs-chart.js)")
if(NOT WW_CHART_JS)
  message(FATAL_ERROR "chart.min.js not found: install libjs-chart.js (tools/setup does)")
endif()
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/page)
configure_file(${WW_CHART_JS} ${CMAKE_BINARY_DIR}/page/chart.min.js COPYONLY)
# device.h: the names of CUDA, for kernels that a sweep compiles without a toolkit.
set(page_parts ${CMAKE_SOURCE_DIR}/src/study/page.html ${CMAKE_SOURCE_DIR}/src/study/sweep.html ${CMAKE_SOURCE_DIR}/src/view/run.html
    ${CMAKE_SOURCE_DIR}/src/view/run.js ${CMAKE_SOURCE_DIR}/workloads/device.h)
foreach(part ${page_parts})
  get_filename_component(name ${part} NAME)
  configure_file(${part} ${CMAKE_BINARY_DIR}/page/${name} COPYONLY)
endforeach()
install(FILES ${CMAKE_BINARY_DIR}/page/chart.min.js ${page_parts} DESTINATION share/warpwatt/page)
file(GLOB study_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/studies/*.yaml ${CMAKE_SOURCE_DIR}/studies/*.csv)
install(FILES ${study_files} DESTINATION share/warpwatt/studies)
# Tuning spaces and launches: kernels, tables of measured times, sweeps.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/studies/tuning ${CMAKE_SOURCE_DIR}/studies/blind DESTINATION share/warpwatt/studies)
