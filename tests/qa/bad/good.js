/** No fault. */
export default (Chat) => Chat;
