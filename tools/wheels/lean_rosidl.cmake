# Included by each of the packages in CMakeLists.txt beside this file, at its project().

# rclpy uses messages through C alone. Their C++ code would take more than half of the time.
find_package(rosidl_default_generators REQUIRED)
list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX "_cpp:")

# The CMake targets that the ROS wheels export name include directories of the machine that built the wheels.
# Those below /opt/python do not exist here, and CMake refuses such a target, so they are removed.
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

# These libraries are one small file for each message, all with the same large headers.
function(compile_each_library_at_once)
  get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  list(FILTER targets INCLUDE REGEX "__rosidl_(typesupport_|generator_py$)")
  set_target_properties(${targets} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
endfunction()

cmake_language(DEFER CALL drop_missing_include_dirs)
cmake_language(DEFER CALL compile_each_library_at_once)
