export const roles = {} as const;
