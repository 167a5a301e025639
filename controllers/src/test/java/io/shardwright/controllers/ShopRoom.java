package io.shardwright.controllers;

import io.shardwright.controllers.world.FakeMovers;
import io.shardwright.controllers.world.FakeRouters;
import io.shardwright.controllers.world.FenceWorld;
import io.shardwright.controllers.world.Shop;
import io.shardwright.crds.ConditionType;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;

/** A room of its own for each test, with the words that tests use of it. */
abstract class ShopRoom {
    static final Duration LIMIT = RunningRoom.LIMIT;

    RunningRoom room;
    Shop shop;
    FenceWorld world;
    FakeMovers movers;
    FakeRouters routers;

    @BeforeEach
    void aShop(TestInfo test) {
        room = new RunningRoom(test.getDisplayName());
        shop = room.shop();
        world = room.world();
        movers = room.movers();
        routers = room.routers();
    }

    @AfterEach
    void stop() {
        room.close();
    }

    void eventually(String what, BooleanSupplier condition) {
        room.eventually(what, condition);
    }

    void inAMinute(String what, BooleanSupplier condition) {
        room.inAMinute(what, condition);
    }

    boolean touching(BooleanSupplier condition) {
        return room.touching(condition);
    }

    boolean clusterIs(ConditionType type, String reason) {
        return room.clusterIs(type, reason);
    }

    void readyWithFour() {
        room.readyWithFour();
    }

    void restart(Runnable meanwhile) {
        room.restart(meanwhile);
        routers = room.routers();
    }

    int bucketOf(String shard) {
        return room.bucketOf(shard);
    }
}
