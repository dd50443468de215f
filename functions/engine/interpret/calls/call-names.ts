import { remembered } from "../../catalogue/remembered.ts";

/** What calls whose functions nobody can read give, as far as their names say. */

const makesText =
  /html|render|mark|template|format|compile|highlight|decode|parse|convert|transform|(?<!con)text|trim|join|concat|string|^(all|allSettled|any|race|resolve)$/i;

/** Whether something made of the arguments may be the text that is given. */
export const mayMakeText = remembered((name) => makesText.test(name));

const deed =
  /^_*(get|fetch|load|find|look_?up|search|query|list|read|retrieve|select|run|exec|execute|call|do|handle|process|perform|submit|send|create|update|delete|remove|save|store|insert|add|register|open|export|download|upload|dispatch|invoke|request|ask|check|validate|verify|collect|count|is|has|redirect|abort)(_|$)/;
const saysSomething = /message|msg|error/;

/** `get_orders(name)`, `export_chart(id, options)`, `redirect_to(place)`: what is got or done is no text made of what it was asked with. */
export const givesNoText = remembered((name) => deed.test(name) && !saysSomething.test(name) && !makesText.test(name));

/** `matcher.isMatch(name, pattern)`, `has_words(text)` */
export const answersYesOrNo = remembered((name) => /^_*(is|has|Is|Has)(\p{Lu}|_[a-z])/u.test(name));
