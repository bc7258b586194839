import { render } from "preact";
import "./base.css";

render(<h1>Rialto</h1>, document.body);
