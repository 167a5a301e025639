package io.shardwright.e2e.stories;

import io.shardwright.e2e.crash.OperatorCrashE2E;
import io.shardwright.e2e.shop.TwoShardShop;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.platform.suite.api.ConfigurationParameter;
import org.junit.platform.suite.api.SelectClasses;
import org.junit.platform.suite.api.Suite;

/**
 * The stories that share a stage ({@link TwoShardShop}), in one JVM, so that the stage is started once. Each of them can be run
 * by its own name too.
 */
@Suite(failIfNoTests = false) // none of them is among those that run alone
@ConfigurationParameter(
        key = ClassOrderer.DEFAULT_ORDER_PROPERTY_NAME,
        value = "org.junit.jupiter.api.ClassOrderer$OrderAnnotation")
@SelectClasses({
    OtherLanguageE2E.class,
    OpenTransactionE2E.class,
    SilentRouterE2E.class,
    StaleWriterE2E.class,
    TroubledMoveE2E.class,
    OperatorCrashE2E.class
})
class SharedStageE2E {}
