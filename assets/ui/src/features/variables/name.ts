/** What stands after `$vars.` must read as one word in text and in code. */
export const isName = (name: string): boolean => /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name);
