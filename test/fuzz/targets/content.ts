import { parse, render } from "../../../src/content/formats.ts";
import { cut, excerpt, measure } from "../../../src/content/length.ts";
import { linkMentions, withoutRoomPings } from "../../../src/content/mentions.ts";
import { looksStyled } from "../../../src/content/styling-parse.ts";
import type { UserRef } from "../../../src/contract/ids.ts";
import type { Random } from "../random.ts";
import type { Case, Target } from "../target.ts";
import { mutated, text, word } from "../text.ts";

const FORMATS = ["plain", "irc", "markdown", "mattermost", "discord", "slack", "html", "styling"] as const;

const SAMPLES = [
  "**bold _both_** ~~gone~~ `code` [link](https://e.example/a_b) ||hush|| <https://e.example/>\n> quote\n- item\n  1. one\n```ts\nx\n```\n# head",
  '<mx-reply>x</mx-reply><p>a <b>b<i>c</b></i><br/><a href="https://matrix.to/#/@a:b">a</a></p><ul><li>x<ol start="3"><li>y</ul><table><tr><td>1<td>2</table>&amp;&#x41;&bogus;<pre><code class="language-ts">x\n</code></pre><img alt="x" data-mx-emoticon><span data-mx-color="#ff0000" data-mx-spoiler="why">s</span>',
  "*b _i ~s~_* `c`\n> q\n>> r\n```\npre\n> x",
  '**b *i*** __u__ ||s|| <@1|A> <@&2> <:x:3> <t:4:R> [a](<http://e.example/_> "t")\n-# small\n1. a\n  - b ```ts\nx\n```\n>>> rest',
  "*b _i ~s~_* `c` <@U1|A> <#C2|d> <!subteam^S3|@e> <!date^1^{date}^https://e.example/|f> <https://e.example/?a&amp;b|g> :cat::skin-tone-3:\n&gt; q\n• h\n    ◦ i ```<!lang^ts>j\n```\n1. k <>&#42;<u>l</u>\n&gt;&gt;&gt; m",
  "\x02b\x1di\x0304,05c\x0f\x16r\x11m\x04ff0000h\x03",
] as const;

/** A few signs in a row, many times: what takes a careless reader quadratic time, or its stack. */
function repeated(random: Random): string {
  const unit = random.some(3, () => word(random)).join("") || word(random);
  const length = 1_024 * (1 + random.int(32));
  const begin = random.chance(0.3) ? word(random) : "";
  return (
    begin + unit.repeat(Math.ceil(length / unit.length)).slice(0, length) + (random.chance(0.3) ? word(random) : "")
  );
}

function source(random: Random): string {
  if (random.chance(0.01)) return repeated(random);
  return random.chance(0.5) ? mutated(random, random.pick(SAMPLES)) : text(random, 40);
}

/** Texts of networks: read as each format, written in each other. */
export const content: Target = {
  name: "content",
  make: (random): Case => {
    const input = source(random);
    const max = random.int(100) - 1;
    return {
      show: () => JSON.stringify(input),
      run: () => {
        for (const format of FORMATS) {
          const blocks = linkMentions(parse(format, input), (name) => `@${name}:e.example` as UserRef);
          for (const other of FORMATS) render(other, blocks);
        }
        looksStyled(input);
        withoutRoomPings(input);
        excerpt(input, max);
        for (const unit of ["bytes", "utf16", "codepoints"] as const) {
          if (measure(cut(input, max, unit), unit) > Math.max(max, 0))
            throw new Error(`cut to ${max} ${unit}: too long`);
        }
      },
    };
  },
};
