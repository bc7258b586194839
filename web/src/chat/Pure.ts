import { Component } from "preact";

/** Renders again only when something that it was given is another one. */
export abstract class Pure<Props extends object> extends Component<Props> {
  override shouldComponentUpdate(next: Readonly<Props>): boolean {
    const keys = Object.keys({ ...this.props, ...next }) as (keyof Props)[];
    return keys.some((key) => next[key] !== this.props[key]);
  }
}
