import { VirtualClock } from "./virtualClock";

const clock = new VirtualClock();

/** `provider/clock` with a virtual clock: `jest.mock("…/provider/clock", () => jest.requireActual("…/clockMock"))`. */
module.exports = { ...jest.requireActual<object>("../../provider/clock"), systemClock: clock, clock };
