/** The folder of the built page. */
export const dist: string;
export function shell(): string[];
export function parts(...names: string[]): string[];
