import { Compile, type Validator } from "typebox/schema";
import { DURATION, SeqSchema } from "../../consumers/spec.ts";
import type { FieldError } from "./problems.ts";
import type { JsonSchema } from "./route.ts";

/** So many are told; one wrong list would fill an answer. */
const ERRORS_MAX = 20;

const compiled = new WeakMap<JsonSchema, Validator>();

const NO_FORM = "has none of the forms that it can have: see /v1/docs";

/** What is wrong with a value, by RFC 6901 pointers; empty: nothing. A schema is compiled at its first use. */
export function flawsOf(schema: JsonSchema, value: unknown): readonly FieldError[] {
  let validator = compiled.get(schema);
  if (validator === undefined) compiled.set(schema, (validator = Compile(schema)));
  if (validator.Check(value)) return [];
  const [, flaws] = validator.Errors(value);
  const told = new Map<string, FieldError>();
  for (const { keyword, schemaPath, instancePath: pointer, message, params } of flaws) {
    // The key itself has a flaw.
    if (keyword === "additionalProperties") continue;
    const [form = "", inside] = schemaPath.split("/oneOf/");
    if (keyword === "oneOf" || inside !== undefined) {
      // What it lacks for each of the forms would say nothing.
      const known = told.get(form)?.pointer ?? pointer;
      told.set(form, { pointer: known.length < pointer.length ? known : pointer, detail: NO_FORM });
    } else told.set(`${pointer} ${schemaPath} ${keyword}`, { pointer, detail: wordsOf(keyword, params) ?? message });
  }
  if (told.size === 0) return [{ pointer: "", detail: "is not as described" }];
  return [...told.values()].slice(0, ERRORS_MAX);
}

/** A sentence that begins with the name of a field, as the error of that field. */
export function errorsAt(detail: string, fields: object): readonly FieldError[] {
  const [name = "", ...rest] = detail.split(" ");
  return Object.hasOwn(fields, name) ? [{ pointer: `/${name}`, detail: rest.join(" ") }] : [];
}

/** For people who do not read schemas; null: the message will do. */
function wordsOf(keyword: string, params: object): string | null {
  if (keyword === "boolean") return "is no field here";
  if ("allowedValues" in params && Array.isArray(params.allowedValues)) {
    return `must be one of ${params.allowedValues.map((value) => JSON.stringify(value)).join(", ")}`;
  }
  if (keyword === "type" && "type" in params && params.type === "integer") return "must be a whole number";
  if ("limit" in params && keyword === "minimum") return `must be at least ${String(params.limit)}`;
  if ("limit" in params && keyword === "maximum") return `must be at most ${String(params.limit)}`;
  if (!("pattern" in params)) return null;
  if (params.pattern === DURATION) return 'must be a duration such as "30s" or "10m"';
  return params.pattern === SeqSchema.pattern ? 'must be a position, in digits: "4711"' : null;
}
