//! A thread for each connection, and books through diesel and r2d2.

use contenders::answer::Answer;
use contenders::settings::Settings;
use contenders::{Failure, book, threads};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::r2d2::{ConnectionManager, Pool};
use diesel::sql_types::{Bool, Integer, Nullable};
use shared::api::Book;
use shared::domain::{BookRow, MarketId};

use schema::{contracts, markets, orders};

/// What the query reads.
mod schema {
    diesel::table! {
        markets (id) {
            id -> BigInt,
            name -> Text,
        }
    }

    diesel::table! {
        contracts (id) {
            id -> BigInt,
            market_id -> BigInt,
            name -> Text,
        }
    }

    diesel::table! {
        orders (id) {
            id -> BigInt,
            contract_id -> BigInt,
            side -> Text,
            price_bp -> Integer,
            quantity -> Integer,
            state -> Text,
        }
    }

    diesel::joinable!(contracts -> markets (market_id));
    diesel::allow_tables_to_appear_in_same_query!(markets, contracts, orders);
    diesel::allow_columns_to_appear_in_same_group_by_clause!(
        markets::name,
        contracts::id,
        contracts::name
    );
}

// Constants and not parameters: with a parameter, Postgres would plan anew at
// every request, since it could not know that the partial index of open orders
// will do. (`diesel::dsl::sql` has constants too, but is not prepared once.)
diesel::postfix_operator!(IsOpen, " = 'open'", Bool, backend: Pg);
diesel::postfix_operator!(IsBuy, " = 'buy'", Nullable<Bool>, backend: Pg);

#[diesel::declare_sql_function]
extern "SQL" {
    /// The values of a group.
    #[aggregate]
    #[sql_name = "array_agg"]
    fn array_of_bools(value: Nullable<Bool>) -> Nullable<Array<Nullable<Bool>>>;

    /// The values of a group.
    #[aggregate]
    #[sql_name = "array_agg"]
    fn array_of_integers(value: Nullable<Integer>) -> Nullable<Array<Nullable<Integer>>>;
}

/// A list of a group's values: of one null if the join found nothing.
type List<T> = Option<Vec<Option<T>>>;

/// A row of the query, its fields in the order of [`BookRow`]'s.
type Columns = (
    String,
    Option<i64>,
    Option<String>,
    List<bool>,
    List<i32>,
    List<i32>,
);

fn main() -> Result<(), Failure> {
    let settings = Settings::read()?;
    let pool = Pool::builder()
        .max_size(settings.pool)
        // A connection that is lent out is not asked whether it lives.
        .test_on_check_out(false)
        .build(ConnectionManager::new(&settings.database_url))?;
    threads::serve(settings.listen, move |path| {
        Answer::get(path, |market| open_orders(&pool, market))
    })?;
    Ok(())
}

fn open_orders(
    pool: &Pool<ConnectionManager<PgConnection>>,
    market: MarketId,
) -> Result<Option<Book>, Failure> {
    let of_contract = orders::contract_id.nullable().eq(contracts::id.nullable());
    let rows = markets::table
        .left_join(contracts::table)
        .left_join(orders::table.on(of_contract.and(IsOpen::new(orders::state))))
        .filter(markets::id.eq(market.get()))
        .group_by((markets::name, contracts::id, contracts::name))
        .order(contracts::id)
        .select((
            markets::name,
            contracts::id.nullable(),
            contracts::name.nullable(),
            array_of_bools(IsBuy::new(orders::side.nullable())),
            array_of_integers(orders::price_bp.nullable()),
            array_of_integers(orders::quantity.nullable()),
        ))
        .load::<Columns>(&mut pool.get()?)?;
    Ok(book::of(market, rows.into_iter().map(decode).collect()))
}

fn decode(columns: Columns) -> BookRow {
    let (market_name, contract_id, contract_name, is_buy, price_bp, quantity) = columns;
    BookRow {
        market_name,
        contract_id,
        contract_name,
        is_buy: is_buy.map(found),
        price_bp: price_bp.map(found),
        quantity: quantity.map(found),
    }
}

fn found<T>(values: Vec<Option<T>>) -> Vec<T> {
    values.into_iter().flatten().collect()
}
