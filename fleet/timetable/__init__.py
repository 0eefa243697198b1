"""The timetable: ways with times, and when places are taken. Pure."""
