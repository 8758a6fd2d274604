export { h } from "./render.ts";
