import { expect, test } from "vitest";
import { parseForm } from "./form.ts";

const TYPE = "multipart/form-data; boundary=edge";
const parse = (text: string, type = TYPE): unknown => parseForm(Buffer.from(text), type);

test("texts and files, as clients write them", async () => {
  const text = [
    '--edge\r\nContent-Disposition: form-data; name="a"\r\n\r\none\r\ntwo\r\n',
    '--edge\r\ncontent-disposition:form-data;name="b";filename=a b.txt\r\ncontent-type:text/plain\r\n\r\n--edg\r\n',
    '--edge\r\nContent-Disposition: form-data; name="c"; filename="x\\"%22.bin"\r\n\r\n\r\n--edge--\r\n',
  ];
  expect(parse(text.join(""))).toEqual([
    { name: "a", value: "one\r\ntwo" },
    { name: "b", value: { name: "a b.txt", content: Buffer.from("--edg"), mime: "text/plain" } },
    { name: "c", value: { name: 'x"".bin', content: Buffer.from(""), mime: "" } },
  ]);
});

test("what is no form, or ends before its end", () => {
  expect(parse("", "multipart/form-data")).toBeNull();
  expect(parse("nothing")).toBeNull();
  expect(parse('--edge\r\nContent-Disposition: form-data; name="a"\r\n\r\none')).toBeNull();
  expect(parse("--edge\r\nname only\r\n--edge--\r\n")).toBeNull();
  expect(parse("--edge\r\nX: y\r\n\r\none\r\n--edge--\r\n")).toBeNull();
});

test("a form that a web browser would make", async () => {
  const form = new FormData();
  form.append("text", "é\n");
  form.append("file", new Blob([Buffer.from([0, 13, 10, 255])]), 'q"uote.bin');
  const request = new Request("http://fake", { method: "POST", body: form });
  const type = request.headers.get("content-type") ?? "";
  const parts = parseForm(Buffer.from(await request.arrayBuffer()), type);
  expect(
    parts?.map(({ value }) =>
      typeof value === "string" ? value.replaceAll("\r\n", "\n") : [value.name, [...value.content]],
    ),
  ).toEqual(["é\n", ['q"uote.bin', [0, 13, 10, 255]]]);
});
