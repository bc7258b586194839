import { Compile, type Validator } from "typebox/schema";
import type { FieldError } from "./problems.ts";
import type { JsonSchema } from "./route.ts";

/** So many are told; one wrong list would fill an answer. */
const ERRORS_MAX = 20;

const compiled = new WeakMap<JsonSchema, Validator>();

/** What is wrong with a value, by RFC 6901 pointers; empty: nothing. A schema is compiled at its first use. */
export function flawsOf(schema: JsonSchema, value: unknown): readonly FieldError[] {
  const validator = compiled.get(schema) ?? Compile(schema);
  compiled.set(schema, validator);
  if (validator.Check(value)) return [];
  const [, errors] = validator.Errors(value);
  return errors.slice(0, ERRORS_MAX).map(({ instancePath, message }) => ({ pointer: instancePath, detail: message }));
}
