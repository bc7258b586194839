import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { yaml } from "@codemirror/legacy-modes/mode/yaml";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { ConfigFlaw } from "../../../src/http/admin/v1/config-deps.ts";

export interface EditorOptions {
  /** Its name, for who does not see it. */
  readonly label: string;
  readonly text: string;
  readonly format: "toml" | "yaml" | "json";
  readonly readOnly: boolean;
  readonly onChange: (text: string) => void;
}

export interface ConfigEditor {
  /** Another text; what was undone is forgotten. */
  readonly put: (text: string) => void;
  readonly mark: (problems: readonly ConfigFlaw[]) => void;
  readonly goTo: (line: number, column: number) => void;
  readonly end: () => void;
}

/** In a shadow root: there style sheets are objects, which the policy lets be; elsewhere they would be elements. */
export function openEditor(host: HTMLElement, options: EditorOptions): ConfigEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const state = (text: string): EditorState =>
    EditorState.create({ doc: text, extensions: extensionsOf(text, options) });
  const view = new EditorView({ state: state(options.text), root, parent: root });
  const offset = (line: number, column: number): number => {
    const { doc } = view.state;
    const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
    return Math.min(at.from + Math.max(column - 1, 0), at.to);
  };
  return {
    put: (text) => view.setState(state(text)),
    mark: (problems) => {
      const placed = problems.filter(({ line }) => line > 0);
      const marks = placed.map(({ line, column, endColumn, severity, message, remedy }): Diagnostic => {
        const said = remedy === "" ? message : `${message}; ${remedy}`;
        return { from: offset(line, column), to: offset(line, endColumn), severity, message: said };
      });
      view.dispatch(setDiagnostics(view.state, marks));
    },
    goTo: (line, column) => {
      const anchor = offset(line, column);
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
      view.focus();
    },
    end: () => view.destroy(),
  };
}

const LANGUAGES: Readonly<Record<EditorOptions["format"], Extension>> = {
  toml: StreamLanguage.define(toml),
  yaml: StreamLanguage.define(yaml),
  json: [],
};

function extensionsOf(text: string, { label, format, readOnly, onChange }: EditorOptions): Extension {
  return [
    // With one kind of line end the editor writes that; in a file with both, one of them is a character like others.
    EditorState.lineSeparator.of(/\r\n/u.test(text) && !/(?:^|[^\r])\n/u.test(text) ? "\r\n" : "\n"),
    EditorState.readOnly.of(readOnly),
    lineNumbers(),
    lintGutter(),
    history(),
    drawSelection(),
    highlightActiveLine(),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    EditorView.domEventHandlers({ beforeinput: replaceLines }),
    LANGUAGES[format],
    syntaxHighlighting(COLOURS),
    LOOK,
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0", spellcheck: "false", autocapitalize: "off" }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) onChange(state.sliceDoc());
    }),
  ];
}

/** A browser gives the lines that it joins a style attribute, which the page's policy refuses and reports. */
function replaceLines(event: InputEvent, view: EditorView): boolean {
  const { state } = view;
  const { from, to } = state.selection.main;
  const { data, inputType, isComposing } = event;
  if (
    data === null ||
    inputType !== "insertText" ||
    isComposing ||
    state.readOnly ||
    state.doc.lineAt(from).number === state.doc.lineAt(to).number
  )
    return false;
  view.dispatch(state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
  return true;
}

const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: "var(--muted)" },
  { tag: [tags.string, tags.quote], color: "var(--good)" },
  { tag: [tags.number, tags.atom, tags.bool], color: "var(--warn)" },
  { tag: [tags.propertyName, tags.keyword, tags.meta], color: "var(--accent)" },
]);

const LOOK = EditorView.theme({
  "&": { height: "min(62vh, 720px)", color: "var(--text)", backgroundColor: "var(--surface)", fontSize: "13px" },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { color: "var(--muted)", backgroundColor: "var(--sunken)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine": { backgroundColor: "transparent", boxShadow: "inset 0 0 0 1px var(--line)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { background: "var(--accent-tint) !important" },
  ".cm-tooltip": { color: "var(--text)", backgroundColor: "var(--surface)", border: "1px solid var(--strong-line)" },
});
