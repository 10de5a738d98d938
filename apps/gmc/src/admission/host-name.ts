const label = /^\w([\w-]{0,61}\w)?$/;
const longestName = 253;

/** Returns whether a text is a host name: the proxy of a tenant does not start with another one in its list. */
export function isHostName(text: string): boolean {
  return text.length <= longestName && text.split('.').every((part) => label.test(part));
}
