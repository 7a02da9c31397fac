export async function real() {}
