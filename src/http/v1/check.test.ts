import { expect, test } from "vitest";
import { SpecSchema } from "../../consumers/spec.ts";
import { AckSchema } from "./consumer-shapes.ts";
import { flawsOf } from "./check.ts";

test.each([
  [SpecSchema, { strat: "new" }, [["/strat", "is no field here"]]],
  [SpecSchema, { ack: "some" }, [["/ack", 'must be one of "explicit", "all", "none"']]],
  [SpecSchema, { start: "never" }, [["/start", "has none of the forms that it can have: see /v1/docs"]]],
  [SpecSchema, { start: { last: "9" } }, [["/start", "has none of the forms that it can have: see /v1/docs"]]],
  [SpecSchema, { ack_wait: "30 seconds" }, [["/ack_wait", 'must be a duration such as "30s" or "10m"']]],
  [AckSchema, { upto: "x" }, [["/upto", 'must be a position, in digits: "4711"']]],
  [AckSchema, { upto: 4 }, [["/upto", "must be string"]]],
  [AckSchema, [], [["", "must be object"]]],
  [{ not: {} }, 4, [["", "must not be valid"]]],
  [AckSchema, { upto: "4" }, []],
])("what is wrong with a body is said once, by its place, for people (%#)", (schema, value, expected) => {
  expect(flawsOf(schema, value).map(({ pointer, detail }) => [pointer, detail])).toEqual(expected);
});
