import { Ajv } from "ajv";
import { expect, test } from "vitest";
import * as fc from "../../../test/support/property.ts";
import { flawOfPost } from "./post-shape.ts";
import { PostedFileSchema, PostSchema } from "./schema.ts";

/** JSON has neither `undefined` nor NaN; a form's number may be NaN, and one that is too large is Infinity. */
const value = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 1.5, -1.5, 1e300, -1e300, 5e-324, Infinity, -Infinity, NaN, 2 ** 53),
  fc.constantFrom("", "text", "1", true, false, null),
  fc.constantFrom<object>([], {}, [1], { file: [] }),
);

/** Mostly what a field must be, so that every field is reached. */
function fieldsOf(
  properties: Readonly<Record<string, { readonly type: string | readonly string[] }>>,
  object: fc.Arbitrary<unknown>,
): fc.Arbitrary<object> {
  const right: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    string: fc.constant("x"),
    boolean: fc.boolean(),
    integer: fc.nat(),
    "boolean,string": fc.oneof(fc.boolean(), fc.constant("x")),
    object,
  };
  const entries = Object.entries(properties).map(([key, { type }]) => {
    const fits = right[String(type)];
    if (fits === undefined) throw new Error(String(type));
    return [key, fc.oneof({ weight: 8, arbitrary: fits }, { weight: 1, arbitrary: value })] as const;
  });
  return fc.record(Object.fromEntries(entries), { requiredKeys: [] });
}

const file = fieldsOf(PostedFileSchema.properties, value);
const files = fc.oneof(value, fc.array(fc.oneof({ weight: 8, arbitrary: file }, { weight: 1, arbitrary: value })));
const post = fieldsOf(PostSchema.properties, fc.record({ file: files }));

test("a body is found fit or unfit, with the same first fault, as a validator of JSON Schema finds it", () => {
  const check = new Ajv({ strict: false }).compile(PostSchema);
  let flawed = 0;
  fc.assert(
    fc.property(post, (body) => {
      const flaw = flawOfPost(body as Readonly<Record<string, unknown>>);
      const fits = check(body);
      expect(flaw === null).toBe(fits);
      if (flaw === null) return;
      flawed += 1;
      const [error] = check.errors ?? [];
      expect({ path: flaw.path.map((part) => `/${part}`).join(""), message: flaw.message }).toEqual({
        path: error?.instancePath,
        message: error?.message,
      });
      let at: unknown = body;
      for (const part of flaw.path) at = (at as Readonly<Record<string, unknown>>)[part];
      expect(flaw.value).toBe(at);
    }),
    { numRuns: 5000 },
  );
  expect(flawed).toBeGreaterThan(fc.portion(1000));
});
