"""The cases: each is a requirement in words and a function that judges a recording; independent of ROS."""
