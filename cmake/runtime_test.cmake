# ww_runtime_test(GROUP NAME DEFINITION...): GROUP.NAME_11, _12 and _13, the caller's NAME.c with each of our three
# runtime libraries, MAJOR being its number.
function(ww_runtime_test group name)
  foreach(major 11 12 13)
    set(test ${group}_${name}_${major})
    add_executable(${test} ${name}.c)
    target_include_directories(${test} PRIVATE
      ${CMAKE_BINARY_DIR}/rooms/cudart_self ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/tests/cudart)
    target_compile_definitions(${test} PRIVATE MAJOR=${major} ${ARGN})
    target_link_libraries(${test} PRIVATE ww_test_flags cudart${major})
    add_test(NAME ${group}.${name}_${major} COMMAND ${test})
    set_tests_properties(${group}.${name}_${major} PROPERTIES ENVIRONMENT WARPWATT_GPU=${CMAKE_SOURCE_DIR}/gpus/gtx480.yaml)
  endforeach()
endfunction()
