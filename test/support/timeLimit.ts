/** These tests never wait for real time: the limit is long for busy machines. */
jest.setTimeout(60_000);
