import { VirtualClock } from "./virtualClock";

const clock = new VirtualClock();

/** `provider/base/clock` with a virtual clock: `jest.mock("…/provider/base/clock", () => jest.requireActual("…/clockMock"))`. */
module.exports = { ...jest.requireActual<object>("../../provider/base/clock"), systemClock: clock, clock };
