# The CMake targets that the ROS wheels export name include directories of the machine that built the wheels.
# Those below /opt/python do not exist here, and CMake refuses such a target, so they are taken out again.
function(drop_missing_include_dirs)
  get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(dirs ${target} INTERFACE_INCLUDE_DIRECTORIES)
    if(dirs)
      list(FILTER dirs EXCLUDE REGEX "^/opt/python/")
      set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${dirs}")
    endif()
  endforeach()
endfunction()

cmake_language(DEFER CALL drop_missing_include_dirs)
