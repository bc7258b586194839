import { render } from "preact";
import "../base.css";

render(<h1>Chat</h1>, document.body);
