// Drives one vehicle with vda-5050-lib: extends its base while it drives, then cancels the order; prints what happened.
const [port, serial, folder] = process.argv.slice(2);
const { BlockingType, MasterController, Topic } = require(folder + "/node_modules/vda-5050-lib");

const DEADLINE_MS = 180000;
const agv = { manufacturer: "thymio", serialNumber: serial };
const options = { interfaceName: "uagv", transport: { brokerUrl: "mqtt://127.0.0.1:" + port }, vdaVersion: "2.0.0" };
const master = new MasterController(options, {});
const traversed = [];
const processed = [];
const errors = [];
let state;

setTimeout(() => {
    console.error("waited in vain: " + JSON.stringify({ traversed, processed, errors, state }));
    process.exit(1);
}, DEADLINE_MS);

function node(index, x, y, released) {
    const nodePosition = { x, y, mapId: "map", allowedDeviationXY: 0.2 };
    return { nodeId: "n" + index, sequenceId: 2 * index, released, nodePosition, actions: [] };
}

function edge(index, released) {
    const ends = { startNodeId: "n" + index, endNodeId: "n" + (index + 1) };
    return { edgeId: "e" + index, sequenceId: 2 * index + 1, released, ...ends, actions: [] };
}

async function until(condition) {
    while (!condition()) {
        await new Promise(resolve => setTimeout(resolve, 50));
    }
}

const handler = {
    onOrderProcessed: (withError, byCancelation, active) => {
        processed.push({ failed: !!withError, canceled: byCancelation, active });
        if (withError) { errors.push(withError.errorType || "other"); }
    },
    onNodeTraversed: node => traversed.push(node.nodeId),
};

(async () => {
    await master.start();
    await master.subscribe(Topic.State, agv, found => { state = found; });
    await until(() => state && state.operatingMode === "AUTOMATIC" && state.agvPosition);
    const { x, y } = state.agvPosition;
    const first = {
        orderId: "lib-order", orderUpdateId: 0,
        nodes: [node(0, x, y, true), node(1, x + 0.3, y, true), node(2, x + 0.3, y + 0.3, false)],
        edges: [edge(0, true), edge(1, false)],
    };
    await master.assignOrder(agv, first, handler);
    await until(() => state.orderId === "lib-order" && state.driving);
    const second = {
        orderId: "lib-order", orderUpdateId: 1,
        nodes: [node(1, x + 0.3, y, true), node(2, x + 0.3, y + 0.3, true), node(3, x, y + 0.3, true)],
        edges: [edge(1, true), edge(2, true)],
    };
    await master.assignOrder(agv, second, handler);
    await until(() => state.lastNodeId === "n1");
    await master.initiateInstantActions(agv, {
        instantActions: [{ actionId: "lib-cancel", actionType: "cancelOrder", blockingType: BlockingType.None }],
    }, { onActionStateChanged: () => { }, onActionError: error => errors.push(error.errorType) });
    await until(() => processed.some(one => one.canceled));
    const left = state.nodeStates.length;
    console.log(JSON.stringify({ traversed, processed, errors, left }));
    await master.stop();
    process.exit(0);
})().catch(error => {
    console.error(error);
    process.exit(1);
});
