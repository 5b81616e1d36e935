/** Nothing here waits for real time: the limit is for machines that are busy with other things. */
jest.setTimeout(60_000);
