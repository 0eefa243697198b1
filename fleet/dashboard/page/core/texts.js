// The page's own sentences; those about robots come from the server.

export const TEXTS = {
  select: "Select a robot: click it, press its number, or choose it in the list.",
  formation: "A click on the map sends them there in their formation.",
  stations: "There are fewer than two stations. Add `stations` to the fleet's file, or drag from a robot.",
  aim: "Select a robot and aim at a place: a station can be added there.",
  jobs: "No driver accepts jobs. Switch them on with `dispatch: {enabled: true}` in the fleet's file.",
  viewer: "A viewer sees everything and may stop the fleet. `thymio-fleet dashboard` printed an address with an operator's key.",
  station: "Now choose where to: tap another station.",
  past: "This is the past. Choose Live to send commands.",
};
