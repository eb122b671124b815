# What a study's page is made of lies beside the command: page.html of ours and Chart.js as Debian
# packages it (libjs-chart.js); both are installed. Study files and published values are data.
find_file(WW_CHART_JS chart.min.js PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist
          NO_DEFAULT_PATH DOC "Chart.js, for the pages of studies (Debian: libjs-chart.js)")
if(NOT WW_CHART_JS)
  message(FATAL_ERROR "chart.min.js not found: install libjs-chart.js (tools/setup does)")
endif()
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/page)
configure_file(${WW_CHART_JS} ${CMAKE_BINARY_DIR}/page/chart.min.js COPYONLY)
configure_file(${CMAKE_SOURCE_DIR}/src/study/page.html ${CMAKE_BINARY_DIR}/page/page.html COPYONLY)
install(FILES ${CMAKE_BINARY_DIR}/page/chart.min.js ${CMAKE_SOURCE_DIR}/src/study/page.html
        DESTINATION share/warpwatt/page)
file(GLOB study_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/studies/*.yaml ${CMAKE_SOURCE_DIR}/studies/*.csv)
install(FILES ${study_files} DESTINATION share/warpwatt/studies)
