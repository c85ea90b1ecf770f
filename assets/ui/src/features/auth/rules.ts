/** The service refuses shorter ones, and says why it refuses others. */
export const PASSWORD_MIN = 8;
