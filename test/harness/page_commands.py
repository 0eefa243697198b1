"""What the test of the documentation does with each command of an `sh` block; a new command must be entered here."""

from typing import Final

RUN: Final = {  # to their end, with exit code 0
    "python my_client.py",
    "thymio-fleet cancel 2",
    "thymio-fleet check config/fleet.yaml --world config/world.yaml",
    "thymio-fleet check my_experiment.yaml",
    "thymio-fleet check my_fleet.yaml --world my_world.yaml",
    "thymio-fleet experiment my_experiment.yaml",
    "thymio-fleet experiment examples/experiments/outage.yaml --seed 1 --repeat 1 --animate outage.gif",
    "thymio-fleet experiment --repeat-result outage/run_001/results.json",
    "thymio-fleet experiment examples/experiments/squares.yaml --repeat 1",
    "thymio-fleet follow 1 2 3 --path eight --size 0.3",
    "thymio-fleet go-home 1",
    "thymio-fleet go-home 2",
    "thymio-fleet go-to 1 0.9 0.8 90deg",
    "thymio-fleet go-to 1 1.6 0.4",
    "thymio-fleet go-to 2 1.4 1.1",
    "thymio-fleet law 1 kanayama",
    "thymio-fleet law 1 kanayama kx_per_s=3",
    "thymio-fleet layouts config/fleet.yaml --output layouts",
    "thymio-fleet list",
    "thymio-fleet node-config --config config/fleet.yaml --for player",
    "thymio-fleet node-config --config config/fleet.yaml --outputs all",
    "thymio-fleet script default 2",
    "thymio-fleet script load my_script.aesl 2",
    "thymio-fleet status --once",
    "thymio-fleet jobs --once",
    "thymio-fleet places",
    "thymio-fleet submit go-to 1.5,1.5,90deg --estimate",
    "thymio-fleet submit go-to store --after first --priority 8",
    "thymio-fleet submit dock dock_7",
    "thymio-fleet submit follow-path circle --size 0.4 --laps 2",
    "thymio-fleet submit follow-route press turn:90deg wait:2 packing",
    "thymio-fleet submit transport oven store",
    "thymio-fleet submit transport press packing --id first --wait",
    "thymio-fleet stop",
    "thymio-fleet transport 2 1.3,0.6 1.9,0.8",
    "thymio-fleet up",  # until the next one, or the end of the page
    "thymio-fleet up --world examples/worlds/factory.yaml --config examples/worlds/factory_fleet.yaml",
    "thymio-fleet up --world my_world.yaml --config my_fleet.yaml",
    "thymio-fleet view --once",
    "thymio-fleet view --png my_robots.png --after 5",
    "thymio-fleet view --svg docs/simulator_view.svg --after 14",
    "thymio-fleet world move crate 1.2 0.7",
    "thymio-fleet world push 1 0.1",
    "thymio-fleet world push 1 0.1 0 30deg",
}

REJECTED: Final = {"thymio-fleet go-to 1 0 0"}  # run, with exit code 1

RUN_UNTIL: Final = {  # they never end: until this appears in the terminal, then interrupted
    "thymio-fleet dashboard": "dashboard: http://127.0.0.1:",
    "thymio-fleet status": "idle",
    "thymio-fleet view": "simulated time",
}

NOT_RUN: Final = {  # the reason, and the commands
    "test a server for minutes; test/ros/test_conformance.py and test/conformance run their kinds": {
        "thymio-fleet conformance --action /fibonacci example_interfaces/action/Fibonacci --goal goal.yaml",
        "thymio-fleet conformance --compare conformance-robot_1/report.json conformance-robot_2/report.json",
        "thymio-fleet conformance --judge conformance-robot_1/run.jsonl --strict",
        "thymio-fleet conformance --namespace /factory/robot_1 --expect known.txt",
        "thymio-fleet conformance --namespace /factory/robot_1 --profile faults --setup examples/conformance/up.yaml",
        "thymio-fleet conformance --namespace /factory/robot_1 --profile quick",
    },
    "sets up, checks or formats the whole tree, which takes minutes": {
        ".venv/bin/pytest --fast test/fleet/tasks",
        "make check",
        "make demo",
        "make format",
        "make setup",
        "make test",
        "make test-fast",
    },
    "changes the reader's shell; the test has its own environment": {
        ". .venv/bin/activate",
        "export FASTDDS_DEFAULT_PROFILES_FILE=/path/to/config/fastdds_hosts.xml",
        "export FASTRTPS_DEFAULT_PROFILES_FILE=/path/to/config/fastdds_hosts.xml",
        "export ROS_DISCOVERY_SERVER=server-host:11811",
        "export ROS_SUPER_CLIENT=TRUE",
        "export THYMIO_FLEET_LOG_DIR=/var/log/thymio_fleet",
    },
    "measures for minutes or hours": {
        "python -m bench.simulator",
        "python -m bench.answers",
        "python -m bench.answers --cases widened,latched --goals 100 --clients ours,events --json",
        "python -m bench.answers --short",
        "python -m bench.body",
        "python -m bench.dashboard --robots 100 --browsers 5",
        "python -m bench.dashboard.dashboard_soak --hours 8 --speed 6",
        "python -m bench.dashboard.side_by_side ../earlier_checkout",
        "python -m bench.doors",
        "python -m bench.doors.broken_files --files 2000 --seed 2",
        "python -m bench.doors --door 'driver goals' --from 400",
        "python -m bench.doors --minutes 30 --seed 2 --json",
        "python -m bench.orchestrator",
        "python -m bench.scale --naive --picture docs/measured/scale.png",
        "python -m bench.scale --robots 100 --naive",
        "python -m bench.soak --minutes 30 --robots 50",
        "python -m bench.traffic",
        "python -m bench.traffic --scenario circle3 door --seeds 50 --json",
        "python -m bench.traffic --scenario random --beside navground --minutes 10",
        "python -m bench.traffic.hosts",
        "thymio-fleet experiment examples/experiments/park_study.yaml --tables-only --figures pdf"
        " --only path=star --only level=L2",
        "python -m bench.tracking --seeds 3 --laps 1"
        " --laws published pd_pursuit pure_pursuit path_following kanayama lqr",
    },
    "are run with a simulated arm by test/ros/test_body_cli.py": {
        "rbc --urdf examples/bodies/arm.urdf",
        "rbc --urdf fleet.urdf",
        "rbc_arm --urdf examples/bodies/arm.urdf",
        "thymio-fleet body create JR JR0",
        "thymio-fleet body create VF VF0",
        "thymio-fleet body go VF0 0.4 0.2 0.8 0.0 0.7 0.0 0.7",
        "thymio-fleet body joints JR0 arm_j0=0.3 arm_j1=0.6 arm_j3=0.9",
        'thymio-fleet body set JR0 joints "[arm_j0, arm_j1, arm_j3]"',
        "thymio-fleet body set JR0 weight 0.0",
        "thymio-fleet body set JR0 weight 1.0",
        "thymio-fleet body set VF0 base_link robot-base",
        "thymio-fleet body set VF0 end_link hand_link",
        "thymio-fleet body set VF0 weight 1.0",
        "thymio-fleet body-urdf --config my-fleet.yaml --output fleet.urdf",
    },
    "are run by test/fleet/books/test_sqlite_backup.py": {
        "cp jobs_20261127T041500Z.sqlite jobs.sqlite",
        "mkdir before && mv jobs.sqlite* before/",
    },
    "are run by test/fleet/dashboard/api/test_api_page.py": {
        "thymio-fleet dashboard token add mes",
        "thymio-fleet dashboard token list",
        "thymio-fleet dashboard token revoke mes",
    },
    "runs for half a minute: test/ros/test_orchestrated.py": {
        "thymio-fleet repeat examples/orchestrated/watcher.yaml --runs 2 --under-load"
    },
    "drives for minutes, with another fleet: test/ros/test_calibrate.py": {"thymio-fleet calibrate 1"},
    "opens the fixed UDP port 11811; test/ros/test_hosts.py runs one": {"thymio-fleet discovery-server"},
    "needs another machine": {"ssh -L 8642:127.0.0.1:8642 lab-pc"},
    "needs root, and changes the system": {
        "/opt/thymio_fleet/.venv/bin/thymio-fleet check /var/lib/thymio_fleet/lab/fleet.yaml",
        "sudo -u thymio env XDG_STATE_HOME=/var/lib/thymio_fleet/lab /opt/thymio_fleet/.venv/bin/thymio-fleet dashboard"
        " token add mes",
        "sudo cat /var/lib/thymio_fleet/lab/thymio_fleet/dashboard_keys.json",
        "sudo cp -a /var/lib/thymio_fleet /var/lib/thymio_fleet.before",
        "sudo cp -a /var/lib/thymio_fleet.before /var/lib/thymio_fleet",
        "sudo git -C /opt/thymio_fleet checkout COMMIT",
        "sudo git -C /opt/thymio_fleet pull",
        "sudo install -m 644 /opt/thymio_fleet/config/systemd/thymio-fleet* /etc/systemd/system/",
        "sudo journalctl -u thymio-fleet-dashboard@lab --grep key=",
        "sudo mv /var/lib/thymio_fleet /var/lib/thymio_fleet.after",
        "sudo systemctl start thymio-fleet@lab.target",
        "sudo systemctl stop 'thymio-fleet-*.service'",
        "sudo git clone . /opt/thymio_fleet",
        "sudo install -d -o thymio -g thymio /var/lib/thymio_fleet /var/lib/thymio_fleet/lab",
        "sudo install -m 644 config/fleet.yaml /var/lib/thymio_fleet/lab/fleet.yaml",
        "sudo install -m 644 config/systemd/thymio-fleet* /etc/systemd/system/",
        "sudo make -C /opt/thymio_fleet setup",
        "sudo systemctl daemon-reload",
        "sudo systemctl enable --now thymio-fleet@lab.target",
        "sudo udevadm control --reload",
        "sudo useradd --system --user-group --home-dir /var/lib/thymio_fleet thymio",
        "sudo usermod -aG dialout $USER",
    },
    "needs a broker; test/ros/test_vda5050.py and test/fleet/vda5050/test_page.py do the same": {
        "mosquitto -p 1883",
        "mosquitto_pub -t uagv/v2/thymio/robot_1/instantActions -f cancel.json",
        "mosquitto_pub -t uagv/v2/thymio/robot_1/order -f order.json",
        "mosquitto_sub -t 'uagv/v2/thymio/robot_1/state'",
        "thymio-fleet vda5050 --config config/fleet.yaml",
    },
    "needs a container engine": {
        "docker compose --profile simulation down",
        "docker compose --profile simulation up --detach --build",
        "docker compose exec dashboard thymio-fleet dashboard token add mes",
        "docker compose logs dashboard",
    },
    "takes two minutes; test/experiments/lab/test_simulated_bringup.py does it in simulated time": {
        "thymio-fleet bringup ser:device=/tmp/thymio --node 1 --yes",
        "thymio-fleet sim --port 0 --no-ros --serial /tmp/thymio --helping-hand",
    },
    "needs a robot": {
        "thymio-fleet bringup",
        "thymio-fleet bringup --config my-fleet.yaml --robot 1 --floor",
        "thymio-fleet bringup ser:device=/dev/ttyACM0 --node 7",
        "thymio-fleet sim --world twin.yaml",
        "thymio-fleet twin bringup/ser_device_dev_ttyACM0.json --output twin.yaml",
        "THYMIO_TARGET='ser:name=Thymio-II' pytest test/simulator/firmware/sockets/test_thymio_contract.py"
        " test/simulator/firmware/sockets/test_thymio_contract_scripts.py -k target",
        "asebaros --ros-args -p targets:=\"['ser:name=Thymio']\" -p script.path:=my_script.aesl"
        " -p nodes.thymio.name:=thymio-II -p nodes.thymio.prefix:=thymio_",
    },
    "needs a ROS installation, which has the program ros2": {
        ". install/setup.sh",
        "colcon build --base-paths . interfaces interfaces/*_*",
        "ros2 action send_goal --feedback /factory/robot_1/x/dock thymio_fleet_interfaces/action/Dock"
        ' "{task_id: charge, charger_pose: {pose: {position: {x: 0.6, y: 0.2}}}}"',
        "ros2 action send_goal --feedback /factory/robot_1/x/follow_path thymio_fleet_interfaces/action/FollowPath"
        " \"{task_id: first, path: '{shape: square, size_m: 0.5}', speed_mps: 0.05, laps: 3}\"",
        "ros2 action send_goal --feedback /factory/robot_1/x/follow_route thymio_fleet_interfaces/action/FollowRoute"
        ' "{task_id: order, legs: {kinds: [1, 2, 4], point_counts: [1, 0, 0], points_m: [1.3, 1.0],'
        ' values: [0.0, 1.57, 2.0]}}"',
        "ros2 action send_goal /factory/robot_1/task_go_home ricaip_interfaces/action/TaskGoHome"
        ' "{task_id: home-$(date +%s%N)}"',
        'ros2 action send_goal /factory/robot_1/task_go_home ricaip_interfaces/action/TaskGoHome "{task_id: first}"',
        "ros2 launch foxglove_bridge foxglove_bridge_launch.xml",
        "ros2 launch thymio_fleet fleet.launch.py config:=/path/to/fleet.yaml",
        "ros2 launch thymio_fleet fleet_simulation.launch.py",
        "ros2 service call /factory/robot_1/x/configure_tracker thymio_fleet_interfaces/srv/ConfigureTracker"
        ' "{law: kanayama, names: [kx_per_s], values: [3.0]}"',
        "ros2 service call /factory/robot_1/x/extend_path thymio_fleet_interfaces/srv/ExtendPath"
        ' "{task_id: first, after: 2, waypoints_m: [1.3, 1.0, 1.6, 1.2]}"',
        "ros2 service call /factory/robot_1/x/extend_route thymio_fleet_interfaces/srv/ExtendRoute"
        ' "{task_id: order, expected_legs: 3, legs: {kinds: [1], point_counts: [1], points_m: [1.3, 1.3],'
        ' values: [0.0]}}"',
        "rosdep install --from-paths . interfaces interfaces/*_* --ignore-src -y",
        "rviz2 -d config/rviz/fleet.rviz",
    },
}
SKIPPED: Final = frozenset(command for group in NOT_RUN.values() for command in group)
