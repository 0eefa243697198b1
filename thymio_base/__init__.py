"""The ground floor: settings files, instants, the stop signal, shipped files; imports none of our packages."""
