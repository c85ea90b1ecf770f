//! Cards over services of clouds, whose requests are signed or carry a token that is bought.

mod bedrock;
mod dynamo_db;
pub mod own_clients;
mod s3;
mod vertex;
